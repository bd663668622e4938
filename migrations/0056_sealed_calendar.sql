-- Addresses in plain text cannot be kept: their people connect them again.
ALTER TABLE "countersign"."interaction_policies" ALTER COLUMN "calendar" SET DATA TYPE jsonb USING NULL;