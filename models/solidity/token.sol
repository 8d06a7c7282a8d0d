// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity >=0.8.0;

// A token of which there are never more than CAP.
contract Token {
    uint constant CAP = 1000;
    uint supply;
    mapping(address => uint) balances;

    function mint(uint amount) public {
        require(amount <= CAP && supply <= CAP - amount);
        supply += amount;
        balances[msg.sender] += amount;
    }

    function transfer(address to, uint amount) public {
        uint mine = balances[msg.sender];
        uint theirs = balances[to];
        require(amount <= mine && to != msg.sender);
        balances[msg.sender] = mine - amount;
        balances[to] = theirs + amount;
        assert(balances[msg.sender] + balances[to] == mine + theirs);
    }

    function check() public view {
        assert(supply <= CAP);
    }
}
