const x = 'outer'
function f(a = x, b = () => x, c = a + b()) {
  var x = 'inner'
  return [a, b(), c, x].join()
}
console.log(f(), f('given'), f(undefined, undefined, 'last'))
const order: string[] = []
const say = (what: string) => (order.push(what), what)
const { [say('key')]: picked = say('default'), ...others } = { other: 1 } as Record<string, unknown>
console.log(order.join(), picked, JSON.stringify(others))
try { ((a = b, b = 1) => a + b)() } catch (error) { console.log((error as Error).name) }
var b = 1
