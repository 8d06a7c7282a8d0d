// Labels, goto, break, loops with claims.
procedure main(n : int)
  requires n >= 0;
{
  var i, k : int;

start:
  i := 0;
again:
  outer: while (i < n)
    invariant 0 <= i;
    free invariant i <= n;
  {
    k := 0;
    while (true) {
      if (k == 3) { break; }
      if (*) { break outer; }
      k := k + 1;
    }
    i := i + 1;
  }
  goto left, right, start;
left:
  assert i <= n; assert k <= 3;
  goto done;
right:
  assume false;
done:
}
