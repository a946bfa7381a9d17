/** Function that `util.promisify` uses instead of the one that has it. */
export const promisifyCustom = Symbol.for('nodejs.util.promisify.custom')

export function customPromisify(target: object, promised: unknown): void {
  Object.defineProperty(target, promisifyCustom, { value: promised, configurable: true })
}
