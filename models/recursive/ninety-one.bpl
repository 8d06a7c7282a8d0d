// The function that is 91 up to 101, by a call inside a call. Without a contract: what it returns is found out.
//
// expect: assert_23 holds
// expect: assert_24 violated

procedure ninety_one(n : int) returns (r : int)
{
  var t : int;

  if (n > 100) {
    r := n - 10;
  } else {
    call t := ninety_one(n + 11);
    call r := ninety_one(t);
  }
}

procedure main(n : int)
{
  var r : int;

  call r := ninety_one(n);
  assert n <= 101 ==> r == 91;
  assert n <= 102 ==> r == 91;
}
