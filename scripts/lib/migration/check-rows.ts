import { exec } from '../exec.ts'
import { Stop } from '../progress.ts'
import { isRecord, namesWithoutRow, offeredNames, type Row, recordedNames } from './page.ts'

/** Fails if a name that the release offers is gone, and the migration page has no row for it. */
export async function checkRows(release: string, rows: readonly Row[]): Promise<void> {
  const git = (...argv: string[]) => exec(['git', ...argv], { quiet: true })
  const files = (await git('ls-tree', '--name-only', release, 'api/')).split('\n').filter(isRecord)
  const before = await Promise.all(files.map((file) => git('show', `${release}:${file}`)))
  const names = namesWithoutRow(offeredNames(before), recordedNames(), rows)
  if (names.length > 0) throw new Stop(`docs/migrate-to-0.2.md: no row for\n${names.join('\n')}`)
}
