// npm run release [-- --dry-run]: packs every package version that npm's registry lacks, and publishes it.
import { parsed } from './lib/options.ts'
import { main } from './lib/progress.ts'
import { publish, rehearse } from './lib/release.ts'

const HELP = `npm run release [-- --dry-run]

Checks, builds and packs all packages in a clone of the commit. Publishes and tags the packages whose version is not in the
registry yet. The versions are in the package.json files: "changeset version" updates them and the CHANGELOGs from the files
in .changeset.

  --dry-run   update versions and CHANGELOGs only in the clone, then check, build and pack everything. npm prints what it would
              upload. Changes nothing here, uploads nothing, and needs no account. The registry is only read for dependencies
  --help

Exit code: 0 published, or nothing to publish; 1 refused or failed; 2 invalid options.
`

await main(async () => {
  const { values } = parsed({ options: { 'dry-run': { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } })
  if (values.help) return void process.stdout.write(HELP)
  await (values['dry-run'] ? rehearse() : publish())
})
