const key = {}
const weak = new WeakRef(key)
const map = new WeakMap([[key, 'value']])
const registry = new FinalizationRegistry(() => {})
registry.register(key, 1)
console.log(weak.deref() === key, map.get(key), new WeakSet([key]).has(key), Symbol.for('a') === Symbol.for('a'), Symbol('b').description)
const local = Symbol('local')
console.log(JSON.stringify({ [local]: 1, a: undefined, b: () => 1, c: [undefined] }), Object.getOwnPropertySymbols({ [local]: 1 }).length)
class Regex extends RegExp { override exec(text: string) { return super.exec(text.toUpperCase()) } }
console.log(new Regex('A').test('a'), 'xAx'.replace(/(?<letter>A)/, '[$<letter>$&]'), 'aXbX'.split(/(X)/).join(), /\p{L}+/v.exec('añb')?.[0], 'ab'.replaceAll(/./g, (c, i) => c + i))
const sticky = /a/y
console.log(sticky.test('aa'), sticky.lastIndex, sticky.test('aa'), sticky.test('aa'), [...'a1b2'.matchAll(/\d/g)].map((m) => m.index).join())
