import { messageOf } from '@cni/types'
import type { Shared } from './link.ts'
import { answerFolder, type FolderAnswer } from './net-folder.ts'
import { answerOwnRules, type OwnRulesAnswer } from './own-rules.ts'
import { answerPod, type PodAnswer } from './pod-answer.ts'
import { readPodInput } from './pod-input.ts'
import type { Settings } from './settings.ts'

/** Input that the user has pasted into a tab of the page. */
export type Question =
  | { readonly about: 'pod'; readonly text: string; readonly settings: Settings }
  | { readonly about: 'rules'; readonly text: string; readonly packet: string }
  | { readonly about: 'folder'; readonly text: string }

/** Answer to the user's input, as plain data that a worker can post to the page. */
export type Answer =
  | {
      readonly about: 'pod'
      readonly answer: PodAnswer | { readonly kind: 'problem'; readonly problem: string }
      /** Part of the user's input that a shared link contains. */
      readonly shared?: Shared
    }
  | { readonly about: 'rules'; readonly answer: OwnRulesAnswer }
  | { readonly about: 'folder'; readonly answer: FolderAnswer }

/** Computes the answer to the user's input. Never throws: for invalid input, the answer contains an error message. */
export async function answer(question: Question): Promise<Answer> {
  const problem = (error: unknown) => ({ kind: 'problem', problem: shortened(messageOf(error)) }) as const
  switch (question.about) {
    case 'pod':
      try {
        const input = await readPodInput(question.text, question.settings)
        const { annotations, labels } = input
        const found = answerPod(input, question.settings)
        return {
          about: 'pod',
          answer: found,
          shared: { annotations, labels, settings: { ...question.settings, ...found.effective } },
        }
      } catch (error) {
        return { about: 'pod', answer: problem(error) }
      }
    case 'rules':
      return { about: 'rules', answer: answerOwnRules(question.text, question.packet) }
    default:
      try {
        return { about: 'folder', answer: answerFolder(question.text) }
      } catch (error) {
        return { about: 'folder', answer: problem(error) }
      }
  }
}

const shortened = (text: string): string => (text.length > 600 ? `${text.slice(0, 600)}…` : text)
