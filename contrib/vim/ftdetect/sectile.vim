" Models and programs of Sectile.
autocmd BufNewFile,BufRead *.sct setfiletype sct
autocmd BufNewFile,BufRead *.imp setfiletype imp
