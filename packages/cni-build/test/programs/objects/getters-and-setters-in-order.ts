const order: string[] = []
const traced = new Proxy({} as Record<string, number>, {
  get: (target, key) => (order.push(`get ${String(key)}`), Reflect.get(target, key)),
  set: (target, key, value) => (order.push(`set ${String(key)}`), Reflect.set(target, key, value)),
  has: (target, key) => (order.push(`has ${String(key)}`), key in target),
  deleteProperty: (target, key) => (order.push(`delete ${String(key)}`), Reflect.deleteProperty(target, key)),
  ownKeys: (target) => (order.push('keys'), Reflect.ownKeys(target)),
})
traced.a = 1
traced.a += traced.a
traced.a ||= 5
traced.b ??= 6
void traced.unused
'c' in traced
delete traced.a
console.log(Object.keys(traced).join(), JSON.stringify({ ...traced }), order.join(';'))
