/** Symbol under which a function stores its own promise version, which `util.promisify` then returns. */
export const promisifyCustom = Symbol.for('nodejs.util.promisify.custom')

export function customPromisify(target: object, promised: unknown): void {
  Object.defineProperty(target, promisifyCustom, { value: promised, configurable: true })
}
