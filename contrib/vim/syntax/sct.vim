" Models of Sectile.
if exists('b:current_syntax')
  finish
endif
syntax keyword sctDeclaration param enum const assume define var init restrict clock stay process compose relation
syntax keyword sctDeclaration type record chan of function predicate synchronous
syntax keyword sctClaim invariant error ctl ltl
syntax keyword sctWord when any where havoc skip keep with if then else forall exists sum count and or not in div mod
syntax keyword sctType bool int nat real
syntax keyword sctValue true false
syntax keyword sctFunction abs min max floor send receive head slot len empty full
syntax keyword sctTemporal AX EX AF EF AG EG
syntax match sctCommand /^\s*\h\w*\ze\s*\(\[[^]]*\]\)\?\s*\(when[^:]*\)\?:\(=\)\@!/
syntax match sctNumber /\<\d\+\(\.\d\+\)\?\>/
syntax match sctOperator /-->\|:=\|<=>\|=>\|\.\.\|'/
syntax match sctQuoted /`[^`]*`/
syntax match sctComment +//.*$+
syntax region sctComment start=+/\*+ end=+\*/+
highlight default link sctDeclaration Keyword
highlight default link sctClaim Statement
highlight default link sctWord Conditional
highlight default link sctType Type
highlight default link sctValue Boolean
highlight default link sctFunction Function
highlight default link sctTemporal Special
highlight default link sctCommand Identifier
highlight default link sctNumber Number
highlight default link sctOperator Operator
highlight default link sctQuoted String
highlight default link sctComment Comment
setlocal commentstring=//\ %s
let b:current_syntax = 'sct'
