import type { ValidAttachment } from '@cni/types'
import { UsageError } from './usage.ts'

/** The valid attachments that `--keep ID/IFNAME` names. */
export function validAttachments(keep: readonly string[] = []): ValidAttachment[] {
  return keep.flatMap((value) => value.split(',')).map(attachment)
}

function attachment(text: string): ValidAttachment {
  // Neither a container's id nor an interface's name can contain a slash.
  const [containerID, ifname, ...more] = text.split('/')
  if (containerID && ifname && more.length === 0) return { containerID, ifname }
  throw new UsageError(`invalid --keep ${JSON.stringify(text)}, expected ID/IFNAME as 'cnitool cache list' prints it`)
}
