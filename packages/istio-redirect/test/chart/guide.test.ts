import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isObject } from '@cni/types'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { HELM, helm, type Manifest, rendered } from './manifest.ts'

const root = fileURLToPath(new URL('../../../..', import.meta.url))
const guide = readFileSync(join(root, 'docs/on-a-cluster.md'), 'utf8')
const { scripts }: { scripts: Record<string, string> } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/** The commands of a page, each on one line, without their prompts. */
const commandsOf = (page: string): string[] =>
  [...page.matchAll(/^```console\n(.*?)^```$/gms)]
    .flatMap(([, block = '']) => block.replaceAll(/ *\\\n */g, ' ').split('\n'))
    .filter((line) => line.startsWith('$ '))
    .map((line) => line.slice(2).replace(/ +#.*$/, ''))

const commands = commandsOf(guide)

test.each(commands.filter((line) => line.startsWith('npm run')))(
  '%s is a script, and what it makes is used',
  (line) => {
    expect(Object.keys(scripts)).toContain(line.split(' ')[2])
  },
)

test('every file of the repository that a command names is there', () => {
  const paths = commands.flatMap((line) => line.split(' ')).filter((word) => /^(?:packages|docs|examples)\//.test(word))
  expect(paths.length).toBeGreaterThan(3)
  for (const path of paths) expect([path, existsSync(join(root, path))]).toEqual([path, true])
})

describe.skipIf(HELM === undefined)('commands of the guide', () => {
  test.each(commands.filter((line) => /^helm (?:install|upgrade|template) istio-cni/.test(line)))('%s', (line) => {
    const [command = ''] = line.split(' | ')
    const [, , name = '', chart = '', ...flags] = command.replaceAll("'", '').split(' ')
    // Values of an installed release, which helm reads from another source.
    const ours = flags.filter(
      (flag, at) => flag !== 'values.yaml' && !(flag === '-f' && flags[at + 1] === 'values.yaml'),
    )
    const given = flags.includes('values.yaml') ? { image: 'h/install-cni:1' } : {}
    const { status, stdout, stderr } = helm(['template', name, join(root, chart), ...ours], given)
    expect([status, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/^ {10,}image: "?(?:registry\.example\/mesh|h)\/install-cni:1"?$/m)
  })

  test('every named platform has a profile', () => {
    const [, names = ''] = /profile \(([^)]*)\)/.exec(guide.replaceAll('\n', ' ')) ?? []
    const files = globSync('profile-*.yaml', { cwd: join(root, 'packages/istio-redirect/deploy/chart/files') })
    const platforms = files.map((file) => file.slice(8, -5)).filter((one) => !/^(?:ambient|compat)/.test(one))
    expect([...names.matchAll(/`(\w+)`/g)].map(([, one]) => one).sort()).toEqual(platforms.sort())
  })

  test('the table explains each right and each capability of the chart', () => {
    const all = [
      {},
      { repair: { repairPods: false, deletePods: true } },
      { repair: { repairPods: false, labelPods: true } },
      { profile: 'ambient' },
      { nodeSelector: { mesh: 'yes' } },
    ].flatMap((values) => rendered({ image: 'h/install-cni:1', ...values }))
    const rights = new Set(all.flatMap(({ rules }) => (Array.isArray(rules) ? rules.flatMap(rightsOf) : [])))
    const rows = guide.split('\n').filter((line) => line.startsWith('| '))
    for (const [verb, resource] of [...rights].map((one) => one.split(' '))) {
      const isTold = rows.some((row) => row.includes(`\`${verb}\``) && row.includes(` ${resource}`))
      expect([`${verb} ${resource}`, isTold]).toEqual([`${verb} ${resource}`, true])
    }
    for (const capability of new Set(all.flatMap(capabilitiesOf))) {
      expect([capability, rows.some((row) => row.includes(`\`${capability}\``))]).toEqual([capability, true])
    }
  })

  test('every alert uses an existing metric', () => {
    const source = globSync('src/agent/**/*.ts', { cwd: join(root, 'packages/istio-redirect') })
      .map((file) => readFileSync(join(root, 'packages/istio-redirect', file), 'utf8'))
      .join('\n')
    const metrics = new Set([...guide.matchAll(/\bistio_cni_\w+/g)].map(([name]) => name))
    expect(metrics.size).toBeGreaterThan(5)
    for (const name of metrics) expect([name, source.includes(`'${name}'`)]).toEqual([name, true])
  })
})

test('the command that saves the values of a release prints YAML', () => {
  for (const line of commands.filter((one) => one.startsWith('helm get values'))) {
    // helm prints a title first unless `-o yaml` is given. The title is not a known key.
    expect(line).toMatch(/ -o yaml( |$)/)
  }
  expect(parse('USER-SUPPLIED VALUES:\nhub: x\n')).toHaveProperty(['USER-SUPPLIED VALUES'])
})

// internal

const rightsOf = (rule: { readonly verbs: string[]; readonly resources: string[] }): string[] =>
  rule.resources.flatMap((resource) => rule.verbs.map((verb) => `${verb} ${resource}`))

function capabilitiesOf({ kind, spec }: Manifest): string[] {
  if (kind !== 'DaemonSet') return []
  const found = JSON.stringify(isObject(spec) ? spec : {}).match(/"add":\[([^\]]*)\]/)?.[1] ?? ''
  return [...found.matchAll(/"(\w+)"/g)].map(([, name = '']) => name)
}
