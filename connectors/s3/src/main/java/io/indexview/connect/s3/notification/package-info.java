/** What S3 says about its objects, in the forms in which it reaches a queue. */
package io.indexview.connect.s3.notification;
