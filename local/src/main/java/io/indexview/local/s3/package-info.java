/** What S3 does and the local S3 server does not: notifications of changed objects. */
package io.indexview.local.s3;
