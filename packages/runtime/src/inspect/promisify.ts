/** Symbol of the member in which a function stores its own promise version. `util.promisify` returns that version. */
export const promisifyCustom = Symbol.for('nodejs.util.promisify.custom')

export function customPromisify(target: object, promised: unknown): void {
  Object.defineProperty(target, promisifyCustom, { value: promised, configurable: true })
}
