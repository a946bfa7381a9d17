function declared(a: number, b = 1, ...rest: number[]) { return [a, b, rest] }
const arrow = () => 1
const assigned = function () {}
const named = function inner() { return inner.name }
const object = { method() {}, arrow: () => 1, get got() { return 1 }, ['computed' + 1]: () => 1, async *stream() {}, [Symbol('sym')]: () => 1 }
let late: (() => number) | undefined
late ??= () => 2
const [fromDefault = () => 1] = [] as (() => number)[]
console.log([declared, arrow, assigned, named, late, fromDefault].map((f) => `${f.name} ${f.length}`).join())
console.log(named(), Object.values(object).map((f) => typeof f === 'function' ? f.name : f).join(), Object.getOwnPropertySymbols(object).map((s) => Reflect.get(object, s).name).join())
console.log(Object.getOwnPropertyDescriptor(object, 'got')?.get?.name, declared.bind(null).name, new Function('return 1').name)
console.log(JSON.stringify(Object.getOwnPropertyDescriptor(arrow, 'name')), Object.getOwnPropertyNames(declared).sort().join())
