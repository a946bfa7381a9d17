const double = (n: number) => n * 2
const indirect = eval
console.log(new Function('a', 'b', 'return a + b')(1, 2), indirect('1 + 1'), typeof indirect('this'))
console.log(indirect('(class Made {})').name, new (indirect('class Again { n = 1 }; Again'))().n, double(2))
