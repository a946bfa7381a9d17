import { describe, expect, it } from 'vitest'
import { choicesProblem, KINDS, type ProjectOptions, RULES } from './options.ts'
import { projectFiles } from './project.ts'

const every: ProjectOptions[] = KINDS.flatMap((kind) =>
  RULES.flatMap((rules) => [true, false].map((agent) => ({ name: 'my-plugin', kind, rules, agent }))),
).filter((options) => choicesProblem(options) === undefined)
every.push({ name: 'my-plugin', kind: 'ipam', rules: undefined, agent: false })

describe.each(every)('$kind, $rules, agent: $agent', (options) => {
  const files = projectFiles(options)
  const manifest = JSON.parse(files.get('package.json') ?? '')

  it('has tests with and without root, a build, a conformance run, an image and a workflow', () => {
    expect([...files.keys()]).toEqual(
      expect.arrayContaining([
        '.github/workflows/ci.yml',
        '.gitignore',
        'Dockerfile',
        'README.md',
        'src/main.ts',
        'src/plugin.test.ts',
        'test/plugin.netns.test.ts',
        'tsconfig.json',
      ]),
    )
    expect(files.has('src/rules.test.ts')).toBe(options.kind !== 'ipam')
    expect(Object.keys(manifest.scripts)).toEqual(['check', 'test', 'test:kernel', 'build', 'conformance'])
    expect(files.has('deploy/daemonset.yaml')).toBe(options.agent || options.kind === 'thick')
    expect(files.has('src/agent.ts')).toBe(options.agent)
  })

  it('contains no placeholder of the template', () => {
    for (const [path, text] of files) expect(`${path}: ${text}`).not.toMatch(/@[A-Z]+@/)
  })

  it('depends on the packages that its files import, and on no other', () => {
    const imported = (pattern: RegExp) =>
      new Set(
        [...files]
          .filter(([path]) => pattern.test(path) && path.endsWith('.ts'))
          .flatMap(([, text]) =>
            [...text.matchAll(/from '((?:@[a-z-]+\/)?[a-z-]+)(?:\/[a-z-]+)?'/g)].map(([, name]) => name),
          ),
      )
    const shipped = imported(/^src\/(?!.*\.test\.)/)
    expect(Object.keys(manifest.dependencies).filter((name) => !shipped.has(name))).toEqual([])
    expect([...shipped].filter((name) => name && !(name in manifest.dependencies))).toEqual([])
    const all = { ...manifest.dependencies, ...manifest.devDependencies }
    expect([...imported(/./)].filter((name) => name && !(name in all))).toEqual([])
  })
})

it('builds the plugin with the small runtime, and the agent with all of Node', () => {
  const files = projectFiles({ name: 'mine', kind: 'chained', rules: 'routes', agent: true })
  const { build } = JSON.parse(files.get('package.json') ?? '').scripts
  const agent = 'cni-build src/agent-main.ts -o dist/mine-agent --runtime bun --smoke none'
  expect(build).toBe(`cni-build src/main.ts -o dist/mine && ${agent}`)
  expect(files.get('Dockerfile')).toContain('COPY --from=build /src/dist/mine-agent /usr/local/bin/mine-agent\n')
})

it("lets the daemon see the node's PIDs, and probes it with the shim", () => {
  const text = (kind: 'chained' | 'thick') =>
    projectFiles({ name: 'mine', kind, rules: 'nftables', agent: true }).get('deploy/daemonset.yaml') ?? ''
  expect(text('chained')).not.toMatch(/hostPID|Probe/)
  expect(text('thick')).toContain('\n      hostPID: true\n')
  const probes = [...text('thick').matchAll(/ +(\w+)Probe:\n[\s\S]*?>-\n +(.*)\n +(.*)\n/g)]
  const conf = '{"cniVersion":"1.1.0","name":"probe","type":"mine","port":15001}'
  const status = [`echo '${conf}' |`, 'CNI_COMMAND=STATUS CNI_PATH=/opt/cni/bin /opt/cni/bin/mine']
  expect(probes.map(([, ...words]) => words)).toEqual([
    ['readiness', ...status],
    ['liveness', ...status],
  ])
})

it('takes packages from tarballs, also packages that those depend on', () => {
  const tarballs = { '@cni/skel': 'file:/t/skel.tgz', '@cni/host': 'file:/t/host.tgz' }
  const text = projectFiles({ name: 'x', kind: 'chained', rules: 'nftables', agent: false }, tarballs).get(
    'package.json',
  )
  const { dependencies, overrides } = JSON.parse(text ?? '')
  expect(dependencies['@cni/skel']).toBe('file:/t/skel.tgz')
  expect(overrides).toEqual(tarballs)
})
