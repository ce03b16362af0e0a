export const texts = {
  form: 'Settings',
  yaml: 'The file',
  none: 'The file has no setting.',
  key: 'Setting',
  edit: (key: string) => `(change ${key})`,
  save: 'Save',
  cancel: 'Cancel',
  asNull: 'Set to null',
  nothing: 'null',
  saved: (key: string, before: string) => `${key} was changed; before, it was ${before}.`,
  conflict:
    'Somebody else has changed the file meanwhile. Nothing was saved; what you see is the file as it is now. Save again to change it all the same.',
  notJson: 'This is not JSON.',
  notNumber: 'A number is needed.',
  about:
    'The service changes one setting at a time, and leaves every other byte of the file as it is. The file before is kept beside it.',
  source: 'The file as it is, in YAML',
  reload: 'Read it again',
} as const;
