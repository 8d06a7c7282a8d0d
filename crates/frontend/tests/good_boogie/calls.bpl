// Inlined calls, a contract, old values.
var balance : int;

procedure pay(amount : int) returns (left : int)
  requires amount >= 0;
  modifies balance;
  ensures balance == old(balance) - amount;
{
  var fee : int where fee >= 0;

  if (amount > balance) {
    left := balance;
    return;
  }
  balance := balance - amount;
  left := balance;
}

procedure audit(limit : int) returns (ok : bool);
  requires limit > 0;
  modifies balance;
  ensures ok ==> balance >= limit;
  free ensures balance <= old(balance);

procedure ULTIMATE.start()
  modifies balance;
{
  var rest : int;
  var ok : bool;

  balance := 10;
  call rest := pay(3);
  call ok := audit(rest);
  if (ok) {
    call rest := pay(rest);
  }
  assert rest <= 10;
}
