import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ensurePackages } from './debian.mjs'
import { exec, node26, root } from './exec.mjs'
import { Stop, step } from './progress.mjs'

/** The one version that writes the lockfile; npx fetches it, nothing is installed globally. */
const PNPM = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).packageManager

/** Node and platform first, then the dependencies at exactly the versions of the lockfile. A second run does nothing. */
export async function setUp() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major < 20 || (major === 20 && minor < 19)) {
    throw new Stop(`Node ${process.versions.node} is too old: 20.19 or later is needed`)
  }
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Stop(`these commands need linux on x64, this is ${process.platform} on ${process.arch}`)
  }
  if (isInstalled()) return
  await step(`dependencies (${PNPM} through npx)`, async () => {
    await exec(['npx', '--yes', PNPM, 'install', '--frozen-lockfile'], {
      quiet: true,
      env: { CI: 'true' },
      hint: 'The npm registry must be reachable. Run the command again: it goes on where it stopped.',
    })
  })
  if (!(await runs(node26))) {
    await ensurePackages(['libatomic1'], { install: !process.argv.includes('--no-install') })
    await exec([node26, '--version'], { quiet: true })
  }
  writeFileSync(stampFile, wanted())
}

/** @param {string} node */
const runs = (node) =>
  exec([node, '--version'], { quiet: true }).then(
    () => true,
    () => false,
  )

const stampFile = join(root, 'node_modules/.set-up')

const isInstalled = () => existsSync(stampFile) && existsSync(node26) && readFileSync(stampFile, 'utf8') === wanted()

/** What the installed tree depends on. */
function wanted() {
  const hash = createHash('sha256')
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', 'package.json', ...workspaceManifests()]) {
    hash.update(file).update(readFileSync(join(root, file)))
  }
  return hash.digest('hex')
}

const workspaceManifests = () =>
  ['packages', 'examples'].flatMap((folder) =>
    readdirSync(join(root, folder))
      .map((name) => `${folder}/${name}/package.json`)
      .filter((file) => existsSync(join(root, file)))
      .sort(),
  )
