class Point { constructor(public x = 1) {} norm() { return this.x } }
const text = String(Point)
console.log(text.startsWith('class'), text.includes('norm'), text.includes('constructor'), /^class\b/.test(Function.prototype.toString.call(class {})))
console.log(/^async ?\(/.test(String(async () => 1)), String(Math.max).includes('native'), typeof Point === 'function')
