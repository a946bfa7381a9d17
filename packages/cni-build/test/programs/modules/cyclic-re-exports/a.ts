export { fromB } from './b.ts'
export * from './b.ts'
export function a() { return 'a' }
export function fromA() { return 'from a' }
