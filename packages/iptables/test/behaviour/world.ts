import type { NetnsTarget } from '@cni/netns/handle'
import { crud } from '../../src/crud/crud.ts'
import type { Iptables } from '../../src/iptables.ts'
import { parseSave } from '../../src/parse/saved-tables.ts'
import { type Family, families, isBuiltin } from '../../src/rules/model.ts'
import { ruleset } from '../../src/rules/ruleset.ts'
import type { IptablesPort } from '../../src/run/port.ts'
import { inMode, type RuleAccess } from '../modes.ts'

/** Empty network namespace for a test, on a real kernel or on a simulated node. */
export interface World extends RuleAccess, AsyncDisposable {
  readonly where: NetnsTarget
  readonly port: IptablesPort
  /** Writes restore text as another program would. */
  tamper(text: string, family?: Family): Promise<void> | void
}

export const rules = ruleset({ mangle: ['EX_MARK'], nat: ['EX_OUT', 'EX_TO'] }, (t) => [
  t.mangle.on('OUTPUT').jump('EX_MARK'),
  t.mangle.on('EX_MARK').setMark(1),
  t.nat.on('OUTPUT').proto('tcp').jump('EX_OUT'),
  t.nat.on('OUTPUT').out('eth9').return(),
  t.nat.insert('OUTPUT', 1).out('lo').proto('udp').return(),
  t.nat.on('EX_OUT').uid(1337).return(),
  t.nat.on('EX_OUT').not.dst({ ipv4: '127.0.0.1', ipv6: '::1' }).jump('EX_TO'),
  t.nat.on('EX_TO').proto('tcp').redirect(15001),
])

/** Rules of another program. Two of them equal rules of the tested ruleset. */
export const foreign = `*nat
-N OTHER
-A OUTPUT -o eth9 -j RETURN
-A OUTPUT -p udp -j OTHER
-A OUTPUT -o eth9 -j RETURN
-A OTHER -p tcp -j RETURN
COMMIT
*filter
-A INPUT -p tcp -m tcp --dport 9 -j DROP
-P FORWARD DROP
COMMIT
`

export const drifted = '*nat\n-D OUTPUT -p tcp -j EX_OUT\n-I EX_TO 1 -j RETURN\n-I OUTPUT 2 -p icmp -j EX_TO\nCOMMIT\n'

/** Reads the namespace's rules in both families, without empty built-in chains. The order of chains has no meaning. */
export async function held(ipt: Iptables): Promise<Record<string, unknown>> {
  const all: Record<string, unknown> = {}
  for (const family of families) {
    for (const [table, chains] of parseSave(await ipt.save(family), family).tables) {
      for (const [name, { policy, rules: list }] of chains) {
        if (isBuiltin(table, name) && policy === 'ACCEPT' && list.length === 0) continue
        all[`${family} ${table} ${name}`] = [policy ?? '-', ...list.map(({ text }) => text)]
      }
    }
  }
  return all
}

/** Creates the tested methods for a namespace, once without and once with the context member `undo`. */
export async function startIn(world: World) {
  const undo: (() => unknown)[] = []
  const ipt = inMode(world, world.where, { port: world.port })
  const inHandler = inMode(world, { netns: world.where, undo: (fn) => undo.push(fn) }, { port: world.port })
  const rulesOf = crud(world.where, world)
  const crudInHandler = crud({ netns: world.where, undo: (fn) => undo.push(fn) }, world)
  const tamper = async (text: string) => {
    for (const family of families) await world.tamper(text, family)
  }
  return {
    ...world,
    world,
    ipt,
    crud: rulesOf,
    inHandler,
    crudInHandler,
    undo,
    tamper,
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  }
}

/** Opens an empty namespace for a test. */
export type Start = () => ReturnType<typeof startIn>
