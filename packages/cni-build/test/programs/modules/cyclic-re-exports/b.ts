export { fromA } from './a.ts'
export * from './a.ts'
export function fromB() { return 'from b' }
