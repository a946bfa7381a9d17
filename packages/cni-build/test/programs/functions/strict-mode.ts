export {}
const tried = (f: () => unknown) => { try { return String(f()) } catch (error) { return (error as Error).name } }
function self(this: unknown) { return this }
console.log(tried(() => { Object.freeze({ a: 1 }).a = 2 as never; return 'assigned' }))
console.log(tried(() => self()), tried(() => { (0, eval)('var fromEval = 1'); return typeof (globalThis as Record<string, unknown>).fromEval }))
console.log(tried(() => Reflect.apply(self, 5, []) === 5), tried(() => delete (Object.prototype as { toString?: unknown }).toString && 'deleted'))
console.log(tried(() => { ('text' as unknown as { x: number }).x = 1; return 'assigned' }))
Object.defineProperty(Object.prototype, 'x', { value: 1, configurable: true })
