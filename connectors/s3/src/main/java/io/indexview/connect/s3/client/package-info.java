/** How clients of the AWS SDK are built, and what becomes of their requests. */
package io.indexview.connect.s3.client;
