import { compiled } from '../compiled.ts'
import { peer } from '../peers.ts'
import { type Contender, type Program, version } from '../race/contender.ts'
import { freshCopy } from '../scratch.ts'

/** The original program, such as Istio's `istio-cni`, as a reference. Empty if its executable is not found. */
export function originals(name: Parameters<typeof peer>[0]): Program[] {
  const file = peer(name)
  return file === undefined ? [] : [{ name: 'original', argv: [freshCopy(file)], reference: true }]
}

/** The JavaScript runtime with an empty program, as a reference. */
export async function bareRuntime(): Promise<Contender> {
  return version({ name: 'bare runtime', argv: [freshCopy(await compiled('bare'))], reference: true })
}
