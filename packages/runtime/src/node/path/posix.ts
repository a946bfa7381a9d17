export * from './path.ts'
export { default } from './path.ts'
