const RealDate = Date
globalThis.Date = class extends RealDate { constructor() { super(0) } static override now() { return 42 } } as DateConstructor
Math.random = () => 0.5
Object.keys = (() => ['patched']) as never
const parse = JSON.parse
JSON.parse = ((text: string) => ({ patched: parse(text) })) as never
globalThis.Promise = class Mine<T> extends Promise<T> { mine = true } as PromiseConstructor
console.log(Date.now(), new Date().getTime(), Math.random(), Object.keys({ a: 1 }).join(), JSON.stringify(JSON.parse('1')))
console.log((new Promise(() => {}) as never as { mine: boolean }).mine, Promise.name, (Promise.resolve(1) as never as { mine: boolean }).mine)
console.log(typeof (globalThis as { undeclared?: unknown }).undeclared)
