import { call, cString, type Member, PROG_LOAD, textAt } from './call.ts'
import { FOR_PROGRAMS } from './capabilities.ts'
import { describeValue, EbpfError, invalid, isEbpfError } from './errors.ts'
import type { Kernel } from './kernel.ts'
import { checkName, KernelObject, nameBytes, openPinned } from './object.ts'
import { testRun } from './test-run.ts'
import type { Ebpf, Program } from './types.ts'

const SCHED_CLS = 3
const SIZE = 144
const INFO = 80
const LOG_BYTES = 1 << 20
const LOG_LINES = 20

/** Loads a BPF program. The message of a `VERIFIER` error contains the last lines of the verifier's output. */
export function loadProgram(kernel: Kernel, source: Parameters<Ebpf['load']>[0]): Program {
  const { name, instructions, license } = source
  checkName(name, 'program')
  if (!(instructions instanceof Uint8Array) || instructions.length === 0 || instructions.length % 8 !== 0) {
    const got = instructions instanceof Uint8Array ? `${instructions.length} bytes` : describeValue(instructions)
    invalid(`Program ${name}: expected instructions of 8 bytes each, got ${got}`)
  }
  if (typeof license !== 'string' || license === '' || license.includes('\0')) {
    invalid(`Program ${name}: expected a license, got ${describeValue(license)}`)
  }
  const what = `Load program ${name}`
  const members: Member[] = [
    [0, SCHED_CLS],
    [4, instructions.length / 8],
    [8, instructions],
    [16, cString(license)],
    ...nameBytes(name).map(([at, word]): Member => [48 + at, word]),
  ]
  const request = { command: PROG_LOAD, size: SIZE, what, needs: FOR_PROGRAMS }
  try {
    return opened(kernel, call(kernel, { ...request, members }).result, name)
  } catch (error) {
    if (!isEbpfError(error) || ['EPERM', 'NOT_SUPPORTED'].includes(error.code)) throw error
    // Requests the verifier's log only after a refusal, because the kernel refuses a program whose log is too long.
    const log = Buffer.alloc(LOG_BYTES)
    const logged: Member[] = [...members, [24, 1], [28, LOG_BYTES], [32, log]]
    try {
      return opened(kernel, call(kernel, { ...request, members: logged }).result, name)
    } catch (refused) {
      throw isEbpfError(refused) ? verdict(what, refused, textAt(log, 0, LOG_BYTES)) : refused
    }
  }
}

/** Opens a pinned BPF program. Throws `EbpfError`: `NOT_FOUND`, `MISMATCH` for a program of another type, … */
export function openProgram(kernel: Kernel, path: string): Program {
  return opened(kernel, openPinned(kernel, path, 'program'), path)
}

function opened(kernel: Kernel, fd: number, called: string): Program {
  const object = new KernelObject(kernel, fd, `program ${called}`)
  try {
    const info = object.info(INFO)
    const type = info.readUInt32LE(0)
    if (type !== SCHED_CLS) {
      throw new EbpfError(
        'MISMATCH',
        `The program ${called} is of type ${type}, expected ${SCHED_CLS}, for the traffic of links`,
      )
    }
    return {
      name: textAt(info, 64, 16),
      get fd() {
        return object.fd
      },
      id: info.readUInt32LE(4),
      tag: info.toString('hex', 8, 16),
      pin: (path) => object.pin(path),
      testRun: (input) => testRun(kernel, object, input),
      close: () => object.close(),
      [Symbol.dispose]: () => object.close(),
    }
  } catch (error) {
    object.close()
    throw error
  }
}

/** Error for a BPF program that the verifier refused. */
function verdict(what: string, error: EbpfError, log: string): EbpfError {
  const lines = log.trimEnd().split('\n')
  if (lines.join('') === '') return error
  const last = lines.slice(-LOG_LINES).join('\n')
  const helper = /(?:invalid|unknown) func (\S+)|program of this type cannot use helper (\S+)/.exec(last)
  const options = { cause: error, log }
  if (helper !== null) {
    const name = helper[1] ?? helper[2]
    return new EbpfError(
      'NOT_SUPPORTED',
      `${what}: this kernel has no helper ${name} for such programs\n${last}`,
      options,
    )
  }
  return new EbpfError('VERIFIER', `${what}: ${error.code}, the verifier refuses it:\n${last}`, options)
}
