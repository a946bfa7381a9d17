// npm run release [-- --dry-run]: packs every package version that npm's registry lacks, and publishes it.
import { parsed } from './lib/options.ts'
import { main } from './lib/progress.ts'
import { publish, rehearse } from './lib/release.ts'

const HELP = `npm run release [-- --dry-run]

Checks, builds and packs every package in a clone of the commit, publishes those whose version the registry does not have yet,
and tags them. The versions are those of the package.json files: "changeset version" makes them, and the CHANGELOGs, of what
.changeset holds.

  --dry-run   versions and CHANGELOGs are made in that clone, if changesets wait; everything is checked, built and packed, npm
              says what it would upload. Nothing here changes, nothing is uploaded, no account is needed, nor is the registry
              but for the dependencies
  --help

Exit code: 0 published, or nothing to publish; 1 refused or failed; 2 wrong options.
`

await main(async () => {
  const { values } = parsed({ options: { 'dry-run': { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } })
  if (values.help) return void process.stdout.write(HELP)
  await (values['dry-run'] ? rehearse() : publish())
})
