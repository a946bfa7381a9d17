import { shared } from './shared.ts'
const main = async () => {
  console.log('before', shared.log.join())
  const [first, second] = await Promise.all([import('./lazy.ts'), import('./lazy.ts')])
  console.log(first === second, first.default, Object.keys(first).join(), shared.log.join())
  if (shared.log.length > 99) await import('./never.ts')
  const other = await import('./other.ts')
  console.log(other.name, shared.log.join(), typeof other.default)
}
main()
