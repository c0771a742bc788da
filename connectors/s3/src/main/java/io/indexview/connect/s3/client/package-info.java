/** Clients of the AWS SDK: how they are built, what their failures mean. */
package io.indexview.connect.s3.client;
