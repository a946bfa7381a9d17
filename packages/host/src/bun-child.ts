import type { SpawnChild } from './child.ts'

interface BunProcess {
  readonly pid: number
  readonly exited: Promise<number>
  readonly exitCode: number | null
  readonly signalCode: NodeJS.Signals | null
  readonly stdout: ReadableStream<Uint8Array>
  readonly stderr: ReadableStream<Uint8Array> | undefined
}

interface BunSpawn {
  spawn(argv: readonly string[], options: object): BunProcess
}

/** Over `Bun.spawn`: from start to end of a small program 1.5 ms there, 6.7 ms through bun's `node:child_process`. */
export const bunChild: SpawnChild = (file, args, { env, cwd, input, stderr, inherit }, events) => {
  // foreign API without types: the parse boundary
  const { Bun } = globalThis as unknown as { Bun: BunSpawn }
  const child = Bun.spawn([file, ...args], {
    env,
    ...(cwd === undefined ? {} : { cwd }),
    detached: true,
    stdio: [input === undefined ? 'ignore' : Buffer.from(input), 'pipe', stderr, ...inherit],
  })
  const pipes = [reader(child.stdout, events.stdout), reader(child.stderr, events.stderr)]
  const end = async () => {
    await child.exited
    events.exit(child.exitCode, child.signalCode)
    await Promise.all(pipes.map(({ drained }) => drained))
    events.close(child.exitCode, child.signalCode)
  }
  end().catch(events.error)
  return {
    pid: child.pid,
    release() {
      for (const { cancel } of pipes) cancel()
    },
  }
}

function reader(stream: ReadableStream<Uint8Array> | undefined, onChunk: (chunk: Uint8Array) => void) {
  // With an inherited stderr there is no stream, whatever the type of `stream` says on another version.
  const source = stream instanceof ReadableStream ? stream.getReader() : undefined
  const drain = async () => {
    for (let part = await source?.read(); part?.done === false; part = await source?.read()) onChunk(part.value)
  }
  return {
    drained: drain().catch(() => {
      // a pipe cancelled after the exit: what was read is kept
    }),
    cancel: () => {
      source?.cancel().catch(() => {})
    },
  }
}
