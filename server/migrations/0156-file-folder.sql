-- Folders of files that servers without a bucket keep, each seen by those servers alone.
create table file_folder (
  id text collate "C" primary key,
  -- Host and path, for people.
  place text not null,
  seen_at timestamptz not null default now()
);

-- The folder that has the file of a slip; null: a bucket, or a slip from before. Only a server with this folder reads it.
alter table slip add column folder_id text collate "C";
