" Programs of Sectile: the words of models, and statements.
if exists('b:current_syntax')
  finish
endif
runtime! syntax/sct.vim
syntax keyword sctWord while loop assume assert
syntax keyword sctClaim always terminates
let b:current_syntax = 'imp'
