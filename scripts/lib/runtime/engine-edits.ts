import { Stop } from '../progress.ts'
import { DEADLINE_EDITS } from './deadline-edits.ts'
import type { Edit } from './edit.ts'
import { FAULT_EDITS } from './fault-edits.ts'
import { HASH_EDITS } from './hash-edits.ts'
import { IMAGE_EDITS, IMAGE_EDITS_OF_HEADER } from './image-edits.ts'
import { JSON_EDITS } from './json-edits.ts'
import { PLACE_EDITS } from './place-edits.ts'

/** Map from a file of QuickJS to its changes. The build fails if a text to change is missing. */
const EDITS_OF: Readonly<Record<(typeof EDITED_FILES)[number], readonly Edit[]>> = {
  'quickjs.c': [...HASH_EDITS, ...DEADLINE_EDITS, ...PLACE_EDITS, ...JSON_EDITS, ...FAULT_EDITS, ...IMAGE_EDITS],
  'quickjs.h': IMAGE_EDITS_OF_HEADER,
}

/** Names of QuickJS's source files that the build changes. */
export const EDITED_FILES = ['quickjs.c', 'quickjs.h'] as const

/** Applies our changes to a source file of QuickJS. Throws if the file lacks one of the changed texts. */
export function editEngine(file: (typeof EDITED_FILES)[number], source: string): string {
  return EDITS_OF[file].reduce((text, { why, find, replace, times }) => {
    const parts = text.split(find)
    if (parts.length !== times + 1) {
      throw new Stop(`${file} has ${parts.length - 1} of the ${times} places for an edit (${why}): ${find}`)
    }
    return parts.join(replace)
  }, source)
}
