/** Foreign text as one line of at most 500 characters, without anything a terminal or a log viewer would act on. */
export const printable = (text: string): string => text.replace(/[\p{C}\s]+/gu, ' ').slice(0, 500)
