//! The backend: solvers of one dialect.

use crate::dialect::Dialect;
use crate::solver::ProcessSolver;
use sectile_solver::{Backend, Eliminator, Interpolator, Solver, Unsupported};
use sectile_terms::Terms;
use std::path::{Path, PathBuf};

/// Makes solvers that are processes.
#[derive(Clone, Debug)]
pub struct ProcessBackend {
    dialect: Dialect,
    memory: Option<u64>,
}

impl ProcessBackend {
    /// A backend that uses the program of the dialect.
    pub fn new(dialect: Dialect) -> ProcessBackend {
        ProcessBackend {
            dialect,
            memory: None,
        }
    }

    /// The same with at most this many bytes of memory for every process.
    pub fn with_memory(mut self, bytes: u64) -> ProcessBackend {
        self.memory = Some(bytes);
        self
    }

    /// The program with its arguments.
    pub fn dialect(&self) -> &Dialect {
        &self.dialect
    }

    /// The path of the program, or a message for the user if it cannot be found.
    pub fn find_program(&self) -> Result<PathBuf, Unsupported> {
        let program = Path::new(&self.dialect.program);
        let path = std::env::var_os("PATH").unwrap_or_default();
        let found = if program.components().count() > 1 {
            program.is_file().then(|| program.to_path_buf())
        } else {
            let places = std::env::split_paths(&path).map(|dir| dir.join(program));
            places.into_iter().find(|file| file.is_file())
        };
        found.ok_or_else(|| Unsupported(self.dialect.missing()))
    }

    fn lacks(&self, what: &str) -> Unsupported {
        let name = &self.dialect.name;
        Unsupported(format!(
            "{name} is used for satisfiability only: SMT-LIB has no command for {what}; choose --solver native"
        ))
    }
}

impl Backend for ProcessBackend {
    fn name(&self) -> &str {
        &self.dialect.name
    }

    fn solver<'t>(&self, terms: &'t Terms) -> Result<Box<dyn Solver + 't>, Unsupported> {
        self.find_program()?;
        let solver = ProcessSolver::new(terms, self.dialect.clone(), self.memory);
        Ok(Box::new(solver))
    }

    /// The program itself: a separate process is the most independent solver available here.
    fn certifying_solver<'t>(&self, terms: &'t Terms) -> Result<Box<dyn Solver + 't>, Unsupported> {
        self.solver(terms)
    }

    fn interpolator_by<'t>(
        &self,
        _terms: &'t Terms,
        _method: Option<&str>,
    ) -> Result<Box<dyn Interpolator + 't>, Unsupported> {
        Err(self.lacks("sequences of interpolants"))
    }

    fn eliminator<'t>(&self, _terms: &'t Terms) -> Result<Box<dyn Eliminator + 't>, Unsupported> {
        Err(self.lacks("quantifier elimination"))
    }
}
