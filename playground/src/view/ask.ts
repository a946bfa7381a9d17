import { type Answer, answer, type Question } from '../model/answer.ts'

/** Milliseconds until the page tells the user that a calculation is slow. */
const LATE_MS = 2000

/** Milliseconds until the page cancels a calculation in the worker. */
const LIMIT_MS = 20_000

interface Asked {
  readonly id: number
  readonly question: Question
  readonly settle: (answer: Answer | 'late' | undefined) => void
  readonly isLate: () => void
  timers: readonly ReturnType<typeof setTimeout>[]
}

/** Sends inputs to a web worker. Cancels slow calculations, so that the page stays usable. */
export class Asker {
  readonly #script: string
  #worker: Worker | undefined
  #id = 0
  #asked: Asked | undefined
  /** The user's newest input while the worker is busy. It replaces older inputs that wait. */
  #next: Asked | undefined

  /** @param script - text of the page's own script, which the worker runs */
  constructor(script: string) {
    this.#script = script
  }

  /**
   * Sends input to the worker. Resolves with `undefined` after a newer input.
   *
   * @param isLate - called once if the answer is slow
   */
  ask(question: Question, isLate: () => void): Promise<Answer | 'late' | undefined> {
    this.#worker ??= this.#start()
    if (this.#worker === undefined) return answer(question)
    this.#id += 1
    const id = this.#id
    return new Promise((settle) => {
      this.#next?.settle(undefined)
      this.#next = { id, question, settle, isLate, timers: [] }
      if (this.#asked === undefined) this.#send()
    })
  }

  #send(): void {
    const asked = this.#next
    if (asked === undefined) return
    this.#asked = asked
    this.#next = undefined
    this.#worker ??= this.#start()
    this.#worker?.postMessage({ id: asked.id, question: asked.question })
  }

  /** Starts the time limits of a calculation only when the worker is ready: the worker's start must not count. */
  #begin(asked: Asked): void {
    const late = () => (this.#next === undefined ? asked.isLate() : this.#giveUp(asked))
    asked.timers = [setTimeout(late, LATE_MS), setTimeout(() => this.#giveUp(asked), LIMIT_MS)]
  }

  #giveUp(asked: Asked): void {
    this.#worker?.terminate()
    this.#worker = undefined
    this.#end(asked, 'late')
  }

  #end(asked: Asked, found: Answer | 'late'): void {
    for (const timer of asked.timers) clearTimeout(timer)
    this.#asked = undefined
    asked.settle(this.#next === undefined ? found : undefined)
    this.#send()
  }

  /** Starts the worker from the script's text, because a `file://` page cannot load it from a URL. */
  #start(): Worker | undefined {
    try {
      const address = URL.createObjectURL(new Blob([this.#script], { type: 'text/javascript' }))
      const worker = new Worker(address)
      worker.addEventListener('message', ({ data: { id, answer: found } }) => {
        const asked = this.#asked
        if (asked === undefined || asked.id !== id) return
        if (found === undefined) this.#begin(asked)
        else this.#end(asked, found)
      })
      return worker
    } catch {
      // The browser does not allow web workers for this page, so the page computes the answers itself.
      return undefined
    }
  }
}
