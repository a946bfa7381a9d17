const target = function named(this: unknown, ...args: number[]) { return args.length }
const proxy = new Proxy(target, {
  apply: (f, self, args) => `called ${Reflect.apply(f, self, args)}`,
  construct: () => ({ made: true }),
  getPrototypeOf: () => Array.prototype,
  get: (f, key, receiver) => (key === 'name' ? 'proxied' : Reflect.get(f, key, receiver)),
})
console.log((proxy as Function)(1, 2), JSON.stringify(new (proxy as new () => unknown)()), proxy instanceof Array, proxy.name, typeof proxy)
const getter = { get self() { return this } }
console.log(Reflect.get(getter, 'self', 5 as never), Reflect.ownKeys({ b: 1, a: 1, 0: 1 }).join(), Reflect.has(getter, 'self'))
const { proxy: revoked, revoke } = Proxy.revocable({}, {})
revoke()
try { Object.keys(revoked) } catch (error) { console.log((error as Error).name) }
