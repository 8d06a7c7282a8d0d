// elevator.bpl with a bug: moveUp does not stop at the requested floor. See elevator.sct with bug = 2, where a step of
// the system has the name that stands behind it here.
//
// Source: Brückner, Dräger, Finkbeiner, Wehrheim: Slicing Abstractions, Table 1. The steps are printed there;
// putting them into a loop, and the bug, is ours.
//
// expect: invariant_19 violated in 27 steps
// explore needs: --domain -2..3

const Max : int;                      // the top floor
var pc : int;                         // 0 ready, 1 has a request, 2 goes up, 3 goes down
var current, req, input : int;        // where it is, where it shall go, what is asked for next

procedure elevator()
  requires pc == 0 && current <= Max && input <= Max;
  modifies pc, current, req, input;
{
  while (*)
    invariant current <= Max;
  {
    if (pc == 0) {
      pc, req := 1, input;            // request
      havoc input;
    } else if (pc == 2 && req >= current) {
      current := current + 1;         // moveUp
      havoc input;
    } else if (pc >= 1 && req == current) {
      pc := 0;                        // ready
      havoc input;
      assume input <= Max;
    } else if (pc == 1 && req > current) {
      pc := 2;                        // up
      havoc input;
    } else if (pc == 1 && req < current) {
      pc := 3;                        // down
      havoc input;
    } else if (pc == 3 && req < current) {
      current := current - 1;         // moveDn
      havoc input;
    } else {
      assume false;
    }
  }
}
