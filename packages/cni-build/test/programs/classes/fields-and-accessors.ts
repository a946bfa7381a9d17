const order: string[] = []
const say = (what: string) => (order.push(what), what)
class Base {
  set value(v: string) { say(`setter ${v}`) }
  constructor() { say('base') }
}
class Derived extends Base {
  [say('key') as 'computed'] = say('computed')
  // A field is defined instead of assigned: the setter of Base is not called.
  override value = say('value')
  static first = say('static')
  static { say('block') }
  constructor() { super(); say('derived') }
}
new Derived()
console.log(order.join())
