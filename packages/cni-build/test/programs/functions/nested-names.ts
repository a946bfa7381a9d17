const name = 'outside'
function outer() {
  const name = 'inside'
  function handler() { return `${name} ${handler.name}` }
  const make = (handler: () => string) => ({ handler, name: handler.name })
  return [handler(), make(handler).name, (() => {}).name === '']
}
console.log(name, outer().join())
const handlers = Object.fromEntries([outer, function handler() {}].map((f) => [f.name, f.length]))
console.log(JSON.stringify(handlers))
