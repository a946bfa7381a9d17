const order: string[] = []
const say = (what: string) => (order.push(what), what)
class Base {
  set value(v: string) { say(`setter ${v}`) }
  constructor() { say('base') }
}
class Derived extends Base {
  [say('key') as 'computed'] = say('computed')
  // A class field is defined, not assigned: the setter that the base class declares for `value` is not called.
  override value = say('value')
  static first = say('static')
  static { say('block') }
  constructor() { super(); say('derived') }
}
new Derived()
console.log(order.join())
