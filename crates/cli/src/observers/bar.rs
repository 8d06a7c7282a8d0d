//! A replacement for progress bars in a browser, where there is no terminal: it writes nothing.

#[cfg(not(target_family = "wasm"))]
pub use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

#[cfg(target_family = "wasm")]
pub use nothing::{ProgressBar, ProgressDrawTarget, ProgressStyle};

#[cfg(target_family = "wasm")]
mod nothing {
    #[derive(Clone)]
    pub struct ProgressBar;

    pub struct ProgressDrawTarget;

    pub struct ProgressStyle;

    impl ProgressDrawTarget {
        pub fn stderr() -> ProgressDrawTarget {
            ProgressDrawTarget
        }
    }

    impl ProgressStyle {
        pub fn with_template(_: &str) -> Result<ProgressStyle, ()> {
            Ok(ProgressStyle)
        }
    }

    impl ProgressBar {
        pub fn with_draw_target(_: Option<u64>, _: ProgressDrawTarget) -> ProgressBar {
            ProgressBar
        }

        pub fn set_style(&self, _: ProgressStyle) {}

        pub fn set_message(&self, _: String) {}

        pub fn finish_and_clear(&self) {}

        pub fn suspend(&self, write: impl FnOnce()) {
            write();
        }
    }
}
