//! The command line of Sectile: arguments in, text out, exit codes. Nothing else prints or exits.

mod approximate;
mod args;
mod commands;
mod exit;
mod guard;
#[cfg(not(target_family = "wasm"))]
mod lsp;
mod observers;
mod output;
mod personality;
mod signals;
mod smt;
mod solidity;
mod split;

use args::{Cli, CommandLine};
use clap::Parser as _;
use exit::Exit;
use std::process::ExitCode;

/// Terms, clauses and proofs are many small objects, and this allocator is fast on them.
#[cfg(not(target_family = "wasm"))]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Huge pages triple the memory of small runs, and the system takes time to clear them.
#[cfg(target_os = "linux")]
fn use_small_pages() {
    let _ = nix::sys::prctl::set_thp_disable(true);
}

#[cfg(not(target_os = "linux"))]
fn use_small_pages() {}

fn main() -> ExitCode {
    use_small_pages();
    let line = std::env::args_os().map(|a| a.to_string_lossy().into_owned());
    let other = match personality::Personality::of(line.collect()) {
        Ok(other) => other,
        Err(why) => {
            output::diagnostic(&why);
            return Exit::Usage.into();
        }
    };
    let command = match &other {
        Some((personality, line)) => personality::command(*personality, line),
        None => match Cli::try_parse() {
            Ok(cli) => Some(cli.command),
            Err(error) if error.use_stderr() => error.exit(),
            Err(answer) => return told(&answer),
        },
    };
    let Some(command) = command else {
        return Exit::Input.into();
    };
    // A panic is a bug of ours: the user gets a message and the documented code, not a dump.
    std::panic::set_hook(Box::new(|info| {
        let place = info.location().map(ToString::to_string);
        if output::is_screen() {
            // The status line may still be on the screen.
            output::control("\r\x1b[J");
        }
        output::diagnostic(&format!(
            "internal error: {} (at {})\nplease report this with the input that caused it",
            sectile_driver::panic_text(info.payload()),
            place.as_deref().unwrap_or("an unknown place")
        ));
    }));
    let result = std::panic::catch_unwind(|| run(command));
    match result {
        Ok(Ok(_)) if output::is_lost() => Exit::Internal.into(),
        Ok(Ok(exit)) => exit.into(),
        Ok(Err(error)) if other.is_some() && Exit::of_error(&error) == Exit::Input => {
            // A stand-in for another solver must answer whatever it is asked.
            output::result("unknown\n");
            output::diagnostic(&format!("{error:#}"));
            Exit::Success.into()
        }
        Ok(Err(error)) => {
            let exit = Exit::of_error(&error);
            // Messages about an input text already state their severity and place.
            let head = if exit == Exit::Input { "" } else { "error: " };
            output::diagnostic(&format!("{head}{error:#}"));
            exit.into()
        }
        Err(_) => Exit::Internal.into(),
    }
}

/// Writes what `--help` or `--version` asked for.
fn told(answer: &clap::Error) -> ExitCode {
    let text = answer.render();
    output::result(&match output::result_is_seen() {
        true => text.ansi().to_string(),
        false => text.to_string(),
    });
    match output::is_lost() {
        true => Exit::Internal.into(),
        false => Exit::Success.into(),
    }
}

fn run(command: CommandLine) -> anyhow::Result<Exit> {
    let _guard = command.limits().map(guard::Guard::of_command);
    match command {
        CommandLine::Check(args) => commands::check::run(&args),
        CommandLine::Certify(args) => commands::certify::run(&args),
        CommandLine::Show(args) => commands::show::run(&args),
        CommandLine::Simulate(args) => commands::simulate::run(&args),
        CommandLine::Explore(args) => commands::explore::run(&args),
        CommandLine::Export(args) => commands::export::run(&args),
        CommandLine::Abstract(args) => commands::abstract_::run(&args),
        CommandLine::Prove(args) => commands::prove::run(&args),
        CommandLine::Select(args) => commands::select::run(&args),
        CommandLine::Generate(args) => commands::generate::run(&args),
        CommandLine::Smt(args) => commands::smt::run(&args),
        CommandLine::Solidity(args) => solidity::run(&args),
        CommandLine::SolidityQuery(args) => solidity::query::run(&args),
        CommandLine::Bench(args) => commands::bench::run(&args),
        CommandLine::BenchSupervise(args) => commands::bench::supervise(&args),
        CommandLine::Split(args) => split::run(&args),
        CommandLine::Work(args) => split::work::run(&args),
        CommandLine::Join(args) => split::join::run(&args),
        CommandLine::Watch(args) => commands::watch::run(&args),
        CommandLine::Fmt(args) => commands::fmt::run(&args),
        #[cfg(not(target_family = "wasm"))]
        CommandLine::Lsp => lsp::run(),
        CommandLine::Engines => commands::engines::run(),
        CommandLine::Completions { shell } => commands::manual::completions(shell),
        CommandLine::Man { folder } => commands::manual::pages(&folder),
    }
}
