//! Small programs with known verdicts, every refinement checked.

use sectile_engine_kojak::Impact;
use sectile_testkit::programs::{check_lecture_programs, check_program_p};

#[test]
fn program_p_holds_and_its_mutation_does_not() {
    check_program_p(&Impact);
}

#[test]
fn the_lecture_programs_have_their_verdicts() {
    check_lecture_programs(&Impact);
}
