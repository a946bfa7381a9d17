import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const folder = new URL('./', import.meta.url).href

/** The folders of this package of which a module was loaded when the given code was over. */
function loadedBy(code: string): Set<string> {
  const program = `
    import { registerHooks } from 'node:module'
    const urls = []
    registerHooks({ load(url, context, next) { urls.push(url); return next(url, context) } })
    const { iptables, ruleset } = await import('@cni/iptables')
    const rules = ruleset({ nat: ['EX'] }, (t) => [t.nat.on('OUTPUT').jump('EX')])
    ${code}
    process.stdout.write(JSON.stringify(urls))
  `
  const argv = ['--conditions=@cni/source', '--input-type=module', '--eval', program]
  const urls: unknown = JSON.parse(
    execFileSync(process.execPath, argv, { cwd: fileURLToPath(folder), encoding: 'utf8' }),
  )
  if (!Array.isArray(urls)) throw new Error('expected a list')
  const own = urls.map(String).filter((url) => url.startsWith(folder))
  return new Set(own.map((url) => url.slice(folder.length).split('/').slice(0, -1).join('/')))
}

test('what reads and writes rules is loaded by the first call, not with the package', () => {
  const reading = ['apply', 'run', 'watch', 'crud']
  const before = loadedBy(`iptables('host', { families: ['ipv4'] })`)
  for (const each of reading) expect(before).not.toContain(each)
  expect(before).toContain('rules')
  const after = loadedBy(
    `await iptables('host', { programs: 'never', backend: 'legacy' }).verify(rules).catch(() => {})`,
  )
  for (const each of ['apply', 'run']) expect(after).toContain(each)
  for (const each of ['watch', 'crud']) expect(after).not.toContain(each)
})

test('what is wrong with the options is said at once, before anything is loaded', () => {
  const loaded = loadedBy(`
    for (const [where, options] of [['host', { families: [] }], ['host', { waitSeconds: 0 }], [undefined, {}]]) {
      try { iptables(where, options); throw new Error('accepted') } catch (error) { if (error.code === undefined) throw error }
    }
  `)
  expect(loaded).not.toContain('run')
})
