/** Key of the function that `util.promisify` returns instead of a wrapper. */
export const promisifyCustom = Symbol.for('nodejs.util.promisify.custom')

export function customPromisify(target: object, promised: unknown): void {
  Object.defineProperty(target, promisifyCustom, { value: promised, configurable: true })
}
